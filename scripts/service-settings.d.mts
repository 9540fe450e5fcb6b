export function serviceSettings(root: string): (variable: string) => boolean;
