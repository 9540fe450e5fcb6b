/**
 * Named places between two steps at which a test makes the process die as if its power was cut. Only a process
 * that was armed dies, and only a test environment arms one (src/config/crash-at.ts).
 */
export type CrashPoint =
  | 'relay-after-mark'
  | 'relay-after-publish'
  | 'notification-before-claim'
  | 'notification-after-claim'
  | 'notification-after-send'
  | 'notification-after-mark'
  | 'organization-erase-after-chunk'
  | 'logout-before-claim'
  | 'logout-after-claim'
  | 'logout-after-answer'
  | 'logout-after-mark'
  | 'webhook-after-claim'
  | 'webhook-after-answer'
  | 'upkeep-after-round'
  | 'keys-after-publish'
  | 'keys-after-promote'
  | 'keys-after-retire'
  | 'keys-before-refresh'
  | 'rewrap-in-transaction'
  | 'bootstrap-before-commit'
  | 'import-before-claim'
  | 'import-before-transaction'
  | 'import-in-transaction'
  | 'import-after-commit'
  | 'import-after-accepted'
  | 'change-after-commit'
  | `import-at-line-${number}`
  | `bulk-action-at-user-${number}`;

let armed: string | undefined;

export function armCrashPoint(name: string | undefined): void {
  armed = name;
}

export function crashPoint(name: CrashPoint): void {
  if (armed === name) process.kill(process.pid, 'SIGKILL');
}
