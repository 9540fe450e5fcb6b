/** Exit codes of every command; scripts rely on them. */
export const EXIT = {
  ok: 0,
  /** The operation failed, or some of its records did. */
  failed: 1,
  /** The command line itself is wrong: nothing was tried. */
  usage: 2,
  /** Ctrl-C, as shells number it; the service continues what it has begun. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The command line is wrong; the message says how, without the values given (a secret may stand among them). */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** Interrupted by Ctrl-C; the message says what continues nevertheless. */
export class Interrupted extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Interrupted';
  }
}

/** The command failed for a reason that the user can act on: printed without a stack. */
export class OperationFailed extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OperationFailed';
  }
}
