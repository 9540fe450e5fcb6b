/** Folders and files that a build is made of. */
export const FOLDERS: readonly string[];
export const FILES: readonly string[];
