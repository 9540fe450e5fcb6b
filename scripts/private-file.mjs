// Files of `npm start` that hold secrets. Their owner's alone whatever the umask says, whole or not there, and never
// written through a link or into a file that somebody else prepared.
import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';

const { O_WRONLY, O_CREAT, O_EXCL, O_APPEND, O_NOFOLLOW } = constants;

/** Makes `file`, which must not be there. */
export function createPrivateFile(file, content) {
  const opened = openSync(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    fchmodSync(opened, 0o600);
    writeFileSync(opened, content);
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/** Makes or replaces `file`: whole or not at all. A link in its place is replaced, not followed. */
export function writePrivateFile(file, content) {
  const draft = `${file}.new`;
  // what a killed run left; a link goes, and what it leads to stays
  rmSync(draft, { force: true });
  createPrivateFile(draft, content);
  renameSync(draft, file);
}

/** A log to add to. */
export function openPrivateLog(file) {
  return openSync(file, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600);
}
