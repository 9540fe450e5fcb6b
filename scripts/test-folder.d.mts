/** A folder in the temporary directory, marked as this process's. Whoever made it removes it. */
export function makeTestFolder(): string;
/** Ends and removes what killed test runs left behind. */
export function clearAbandonedTestFolders(): Promise<void>;
