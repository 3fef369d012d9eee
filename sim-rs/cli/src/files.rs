//! Files that commands write.

use std::path::Path;

use acclmt_merkle::new_file::NewFile;

use crate::error::{CommandError, file_failure};
use crate::input;

/// Writes a whole file or nothing.
pub fn write_text(path: &Path, text: &str) -> Result<(), CommandError> {
    use std::io::Write as _;
    let write = || {
        let mut file = NewFile::create(path)?;
        file.file().write_all(text.as_bytes())?;
        file.finish()
    };
    write().map_err(|error| file_failure(path, &error))
}

/// Refuses an output that is one of the files that are read, or another output: they would be lost.
///
/// Each has its name in front, an option or what the file is.
pub fn check_outputs(
    inputs: &[(&str, Option<&Path>)],
    outputs: &[(&str, Option<&Path>)],
) -> Result<(), CommandError> {
    for (position, (name, output)) in outputs.iter().enumerate() {
        let Some(output) = output else { continue };
        let others = inputs.iter().chain(&outputs[..position]);
        let same = others
            .filter_map(|(other, path)| path.map(|path| (other, path)))
            .find(|(_, path)| is_same(path, output));
        if let Some((other, _)) = same {
            return Err(CommandError::Usage(format!(
                "{name} {} is the same file as {other}; choose another name",
                output.display()
            )));
        }
    }
    Ok(())
}

/// Whether two paths lead to one file, by whatever links.
pub fn is_same(path: &Path, output: &Path) -> bool {
    if path == Path::new(input::STANDARD_INPUT) {
        let handles = same_file::Handle::stdin()
            .and_then(|input| Ok(input == same_file::Handle::from_path(output)?));
        return handles.unwrap_or(false);
    }
    if let Ok(same) = same_file::is_same_file(path, output) {
        return same;
    }
    // One of them is not there yet.
    let absolute = |path: &Path| {
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        Some(folder.canonicalize().ok()?.join(path.file_name()?))
    };
    absolute(path).is_some_and(|path| Some(path) == absolute(output))
}
