const REASONS: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'there is no such folder'],
  ['ENOTDIR', 'there is no such folder'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk quota is used up'],
]);

/** Why a file cannot be written, without the path that the system was asked by, which need not be the one that was given. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, syscall } = error as NodeJS.ErrnoException;
  // "EMFILE: too many open files, open '/proc/self/fd/20/users.ndjson.partial'"
  const [told = ''] = syscall === undefined ? [error.message] : error.message.split(`, ${syscall}`);
  return REASONS.get(code) ?? told;
}

/** For an operator, with the setting or the option that named the file. */
export function cannotUse(file: string, namedBy: string, error: unknown): Error {
  return new Error(`cannot use ${file} (${namedBy}): ${reasonOf(error)}`, { cause: error });
}
