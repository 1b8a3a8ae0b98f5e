//! CommonJS files: as importable modules, and as functions for `require`.

#![expect(unsafe_code, reason = "loading compiled code is beyond the engine's safe interface")]

use rquickjs::{Ctx, Function, Module, Result, module::Declared};

use super::{
    script,
    store::{COMMON_JS, ModuleStore, js_string},
    transform::COMMON_JS_HEAD,
};

impl ModuleStore {
    /// Wraps a CommonJS file as a module: it runs immediately, so that its exports are known by name.
    pub(super) fn load_common_js<'js>(&self, ctx: &Ctx<'js>, name: &str) -> Result<Module<'js, Declared>> {
        let common_js = self.builtin_exports(ctx, COMMON_JS)?;
        let names: Vec<String> = common_js.get::<_, Function<'_>>("exportNames")?.call((name,))?;
        let mut code = format!(
            "import {{ exportsOf }} from {COMMON_JS:?};\nconst all = exportsOf({});\n\
             export {{ all as default, all as \"module.exports\" }};\n",
            js_string(name)
        );
        let own = ["default", "module.exports"];
        for (number, export) in names.iter().filter(|export| !own.contains(&export.as_str())).enumerate() {
            let export = js_string(export);
            code.push_str(&format!(
                "const e{number} = all[{export}];\nexport {{ e{number} as {export} }};\n"
            ));
        }
        self.declare(ctx, name, code)
    }

    /// Compiles the function that runs a CommonJS file.
    pub(crate) fn common_js_function<'js>(&self, ctx: &Ctx<'js>, name: &str) -> Result<Function<'js>> {
        self.prepare(ctx, name)?;
        if let Some(compiled) = self.compiled_code(name) {
            // SAFETY: this build of the program wrote the code for this file, as its seal shows.
            match self.stop().while_compiling(|| unsafe { script::load(ctx, &compiled) }) {
                Ok(function) => return Ok(function),
                Err(_) => {
                    drop(ctx.catch());
                    self.forget_compiled(name);
                }
            }
        }
        let (code, source) = self.take_code(ctx, name)?;
        let code = without_hashbang(code.as_deref().unwrap_or(&source));
        let code = format!("{COMMON_JS_HEAD}{code}\n}})");
        // The expression only creates a function, so no code of it runs without limits.
        let keeps = self.compiled().is_on();
        let (function, compiled) = self.stop().while_compiling(|| script::compile(ctx, name, code, keeps))?;
        if let Some(compiled) = compiled {
            self.keep_compiled(name, compiled, false);
        }
        Ok(function)
    }
}

fn without_hashbang(code: &str) -> &str {
    if code.starts_with("#!") { code.find('\n').map_or("", |end| &code[end..]) } else { code }
}
