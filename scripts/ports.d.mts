export function isPortFree(port: number, host?: string): Promise<boolean>;
export function anyFreePort(host?: string): Promise<number>;
export function nextFreePort(first: number, host?: string, taken?: readonly number[]): Promise<number>;
