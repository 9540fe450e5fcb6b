/** What tests use of the files of the local start. */
export function createPrivateFile(file: string, content: string): void;

export function writePrivateFile(file: string, content: string): void;

/** The descriptor of a log to add to. */
export function openPrivateLog(file: string): number;
