//! The files a loaded module depends on, and the test whether they are as they were when it was loaded.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use crate::{
    definitions::{Checked, Inputs, Observed},
    module_request::ImportGate,
};

/// The files a module was loaded from, with everything else that decided what its imports refer to.
#[derive(Clone, Debug, Default)]
pub struct ModuleInputs {
    inputs: Option<Arc<Mutex<Inputs>>>,
    gate: Option<ImportGate>,
}

impl ModuleInputs {
    /// The inputs of a load that began at `begun`. Where the loader could not observe all of them, the files count.
    pub(crate) fn new(
        observed: Option<&Observed>,
        files: &[PathBuf],
        gate: Option<ImportGate>,
        begun: SystemTime,
    ) -> Self {
        let recorded = observed.and_then(|observed| Inputs::record(observed, begun));
        let inputs = recorded.unwrap_or_else(|| {
            let consulted = observed.into_iter().flat_map(|observed| &observed.consulted);
            Inputs::of_files(files, begun).with_consulted(consulted)
        });
        Self::known(inputs, gate)
    }

    /// The inputs of a cached definition.
    pub(crate) fn known(inputs: Inputs, gate: Option<ImportGate>) -> Self {
        Self { inputs: Some(Arc::new(Mutex::new(inputs))), gate }
    }

    /// Returns whether every input is as it was.
    pub fn are_unchanged(&self) -> bool {
        Self::all_are_unchanged([self])
    }

    /// Returns whether every input of several modules is as it was. What they have in common is looked at once.
    pub fn all_are_unchanged<'a>(modules: impl IntoIterator<Item = &'a Self>) -> bool {
        let mut checked = Checked::default();
        modules.into_iter().all(|module| {
            module.inputs.as_ref().is_none_or(|inputs| {
                let mut inputs = inputs.lock().unwrap_or_else(PoisonError::into_inner);
                inputs.are_unchanged(module.gate.as_ref(), &mut checked)
            })
        })
    }

    /// Returns a text that differs when the content of the module's files outside installed packages does.
    pub fn own_content(&self) -> String {
        let inputs = self.inputs.as_ref().map(|inputs| inputs.lock().unwrap_or_else(PoisonError::into_inner));
        inputs.map_or_else(String::new, |inputs| inputs.own_content())
    }

    /// Returns whether the module's files outside installed packages are as they were. This is cheap enough to be
    /// asked before every call.
    pub fn own_files_are_unchanged(&self) -> bool {
        self.inputs.as_ref().is_none_or(|inputs| {
            inputs.lock().unwrap_or_else(PoisonError::into_inner).own_files_are_unchanged()
        })
    }
}
