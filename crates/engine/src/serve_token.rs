//! The token of `hark serve` in the user's own store: readable only by this user, created when first needed.
//!
//! Several processes may need it first at the same time. Each writes a draft and links it to the final name;
//! the first one wins, and the others read what it wrote.

use std::io;
use std::path::Path;

use hark_files::Door;
use hark_store::{Layout, StoreError};

use crate::{Engine, EngineError};

/// The prefix of tokens that hark makes, so that they are recognisable anywhere.
pub const PREFIX: &str = "hark_";

/// Longer than any token.
const LONGEST: u64 = 4096;

/// The token of the store at `home`, if there is one.
pub fn read(home: &Path) -> Result<Option<String>, EngineError> {
    let path = Layout::new(home).serve_token();
    let door = Door::new(home);
    // Removes access for other users.
    let _ = door.tighten(&path);
    match door.read_to_string(&path, LONGEST).map(|text| text.trim().to_owned()) {
        Ok(token) if token.is_empty() => Err(EngineError::invalid(
            format!("{} is empty", path.display()),
            "delete the file; `hark serve` then creates a new token",
        )),
        Ok(token) => Ok(Some(token)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(StoreError::io(&path, e).into()),
    }
}

/// The token of the store at `home`; creates one if there is none.
pub fn read_or_make(home: &Path) -> Result<String, EngineError> {
    if let Some(token) = read(home)? {
        return Ok(token);
    }
    let path = Layout::new(home).serve_token();
    let failed = |e: io::Error| EngineError::from(StoreError::io(&path, e));
    let door = Door::new(home);
    door.create_folder(Path::new("")).map_err(|e| StoreError::io(home, e))?;
    let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
    let token = format!("{PREFIX}{}\n", hex(&Engine::random::<32>()?));
    let draft = home.join(format!(".serve.token.{}", hex(&Engine::random::<8>()?)));
    door.put_once(&draft, &path, token.as_bytes()).map_err(failed)?;
    read(home)?.ok_or_else(|| failed(io::ErrorKind::NotFound.into()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::{fs, thread};

    use super::*;

    #[test]
    fn concurrent_first_starts_get_the_same_token() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("store");
        assert_eq!(read(&home).unwrap(), None);
        let tokens: BTreeSet<String> = thread::scope(|scope| {
            let starters: Vec<_> = (0..16).map(|_| scope.spawn(|| read_or_make(&home).unwrap())).collect();
            starters.into_iter().map(|starter| starter.join().unwrap()).collect()
        });
        assert_eq!(tokens.len(), 1, "{tokens:?}");
        let token = tokens.into_iter().next().unwrap();
        assert!(token.starts_with(PREFIX) && token.len() == PREFIX.len() + 64, "{token}");
        assert_eq!(read_or_make(&home).unwrap(), token);
        let left: Vec<_> = fs::read_dir(&home).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(left, ["serve.token"]);
    }

    #[test]
    fn an_empty_file_is_reported_with_a_hint() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("serve.token"), "\n").unwrap();
        let error = read_or_make(folder.path()).unwrap_err();
        assert!(error.to_string().contains("serve.token") && error.hint().unwrap().contains("delete"));
    }

    #[cfg(unix)]
    #[test]
    fn the_token_is_private_and_never_read_through_a_link() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("serve.token");
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        let token = read_or_make(folder.path()).unwrap();
        assert_eq!(mode(), 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(read_or_make(folder.path()).unwrap(), token);
        assert_eq!(mode(), 0o600);

        let secret = folder.path().join("id_ed25519");
        fs::rename(&path, &secret).unwrap();
        symlink(&secret, &path).unwrap();
        assert!(read_or_make(folder.path()).unwrap_err().to_string().contains("is a link"));
    }
}
