import { Command } from '@commander-js/extra-typings';
import { FileRefused, requireFree } from '../files/private-draft.js';
import { writePrivateFile } from '../files/private-file.js';
import { OperationFailed } from '../shell/exit.js';

export const secretOptions = new Command().option(
  '--secret-file <file>',
  'writes the secret to this new file, readable only by you, instead of printing it',
);

/** @throws OperationFailed where something has the name already */
export async function requireSecretFile(file: string): Promise<void> {
  try {
    await requireFree(file, { replace: false });
  } catch (error) {
    throw failureOf(file, error);
  }
}

/** @throws OperationFailed without the secret in its message */
export async function keepSecret(file: string, secret: string): Promise<void> {
  try {
    await writePrivateFile(file, `${secret}\n`, { replace: false });
  } catch (error) {
    throw failureOf(file, error);
  }
}

function failureOf(file: string, error: unknown): unknown {
  if (error instanceof FileRefused) {
    return new OperationFailed(`cannot write ${file}: something has that name; name a new file`, {
      cause: error,
    });
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new OperationFailed(`cannot write ${file}: ${reason}`, { cause: error });
}
