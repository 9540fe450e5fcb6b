/** A folder in the temporary directory, or in memory where asked for and there is room; marked as this process's. Whoever made it removes it. */
export function makeTestFolder(where?: { inMemory?: boolean }): string;
/** Ends and removes what killed test runs left behind. */
export function clearAbandonedTestFolders(): Promise<void>;
