//! Handlers for model and thinking level.

use std::sync::Arc;

use toolsmith_llm::ThinkingLevel;

use super::{
    super::{
        driver::Driver,
        reply::{ModelInfo, ModelSet, Models},
    },
    Outcome, data,
};

pub(super) async fn available(driver: &Arc<Driver>) -> Outcome {
    let mut providers = driver.setting.providers()?;
    if driver.setting.settings.discovery.local_models {
        providers.discover().await;
    }
    let models = providers.available();
    data(Models { models: models.iter().map(ModelInfo::from).collect() })
}

pub(super) async fn set(driver: &Arc<Driver>, name: &str) -> Outcome {
    driver.session.set_model(name).await.map_err(|error| error.to_string())?;
    chosen(driver)
}

pub(super) fn set_thinking(driver: &Arc<Driver>, level: ThinkingLevel) -> Outcome {
    driver.session.set_thinking(level).map_err(|error| error.to_string())?;
    chosen(driver)
}

fn chosen(driver: &Arc<Driver>) -> Outcome {
    let agent = driver.session.agent();
    data(ModelSet {
        model: ModelInfo::from(&agent.model()),
        thinking_level: agent.thinking().as_str().to_owned(),
    })
}
