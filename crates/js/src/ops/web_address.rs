//! URL parsing by the web standard, for `URL`.

use rquickjs::{Object, Result, function::Func};
use serde_json::json;
use url::{Position, Url};

pub(super) fn install(host: &Object<'_>) -> Result<()> {
    host.set(
        "parseUrl",
        Func::from(|address: String, base: Option<String>| {
            parse(&address, base.as_deref()).map(|url| parts(&url))
        }),
    )?;
    host.set("changeUrl", Func::from(change))?;
    host.set(
        "domainToAscii",
        Func::from(|domain: String| {
            url::Host::parse(&domain).map(|host| host.to_string()).unwrap_or_default()
        }),
    )
}

fn parse(address: &str, base: Option<&str>) -> Option<Url> {
    match base {
        Some(base) => Url::parse(base).ok()?.join(address).ok(),
        None => Url::parse(address).ok(),
    }
}

/// Returns the parts of a URL as JSON.
fn parts(url: &Url) -> String {
    json!({
        "href": url.as_str(),
        "origin": url.origin().ascii_serialization(),
        "protocol": format!("{}:", url.scheme()),
        "username": url.username(),
        "password": url.password().unwrap_or_default(),
        "host": &url[Position::BeforeHost..Position::AfterPort],
        "hostname": url.host_str().unwrap_or_default(),
        "port": url.port().map(|port| port.to_string()).unwrap_or_default(),
        "pathname": url.path(),
        "search": url.query().filter(|query| !query.is_empty()).map(|query| format!("?{query}")).unwrap_or_default(),
        "hash": url.fragment().filter(|hash| !hash.is_empty()).map(|hash| format!("#{hash}")).unwrap_or_default(),
    })
    .to_string()
}

/// Sets one part; an invalid value changes nothing, as on the web.
fn change(href: String, part: String, value: String) -> Option<String> {
    let mut url = Url::parse(&href).ok()?;
    let given =
        |prefix: char| Some(value.strip_prefix(prefix).unwrap_or(&value)).filter(|text| !text.is_empty());
    let _ = match part.as_str() {
        "href" => return parse(&value, None).map(|url| parts(&url)),
        "protocol" => url.set_scheme(value.trim_end_matches(':')),
        "username" => url.set_username(&value),
        "password" => url.set_password(Some(&value).filter(|text| !text.is_empty()).map(String::as_str)),
        "host" => {
            let (host, port) = value
                .rsplit_once(':')
                .map_or((value.as_str(), None), |(host, port)| (host, port.parse().ok()));
            url.set_host(Some(host))
                .map_err(|_| ())
                .and_then(|()| if port.is_some() { url.set_port(port) } else { Ok(()) })
        }
        "hostname" => url.set_host(Some(&value)).map_err(|_| ()),
        "port" => url.set_port(value.parse().ok()),
        "pathname" => {
            url.set_path(&value);
            Ok(())
        }
        "search" => {
            url.set_query(given('?'));
            Ok(())
        }
        "hash" => {
            url.set_fragment(given('#'));
            Ok(())
        }
        _ => Ok(()),
    };
    Some(parts(&url))
}
