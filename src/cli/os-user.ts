import { userInfo } from 'node:os';

/** Account of this machine, for the audit log. In a container there may be no name for it. */
export function osUser(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}
