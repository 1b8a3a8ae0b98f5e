//! Follows one redirect of a local server, as a browser would in a login that needs no person.

use std::io;

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

/// Requests a URL of this machine and returns where it redirects to.
///
/// # Errors
/// Fails if the server cannot be reached or does not redirect.
pub async fn follow_redirect(url: &str) -> io::Result<String> {
    let rest = url.strip_prefix("http://").ok_or_else(|| io::Error::other("only http:// is supported"))?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let mut stream = TcpStream::connect(host).await?;
    let request = format!("GET /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let location = answer.lines().take_while(|line| !line.is_empty()).find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("location").then(|| value.trim().to_owned())
    });
    location.ok_or_else(|| {
        io::Error::other(format!("no redirect: {}", answer.lines().next().unwrap_or_default()))
    })
}
