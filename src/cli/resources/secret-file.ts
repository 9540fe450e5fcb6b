import { Command } from '@commander-js/extra-typings';
import { FileRefused } from '../files/private-draft.js';
import { PrivateFile } from '../files/private-file.js';
import { reasonOf } from '../files/reason-of.js';
import { OperationFailed } from '../shell/exit.js';

export const secretOptions = new Command().option(
  '--secret-file <file>',
  'writes the secret to this new file, readable only by you, instead of printing it',
);

/**
 * The file of a secret that nobody is shown again. It is opened before the secret is asked for: by then another one may
 * have ended.
 */
export class SecretFile {
  private constructor(
    private readonly name: string,
    private readonly file: PrivateFile,
  ) {}

  /** @throws OperationFailed where something has the name already, and where no file can be made */
  static async open(name: string): Promise<SecretFile> {
    const file = await PrivateFile.open(name, { replace: false }).catch((error: unknown) => {
      throw failureOf(name, error);
    });
    return new SecretFile(name, file);
  }

  /** Gives what it failed with, without the secret in its message. */
  async write(secret: string): Promise<OperationFailed | undefined> {
    return await this.file.write(`${secret}\n`).then(
      () => undefined,
      (error: unknown) => failureOf(this.name, error),
    );
  }

  async abandon(): Promise<void> {
    await this.file.abandon();
  }
}

function failureOf(name: string, error: unknown): OperationFailed {
  const reason = error instanceof FileRefused ? 'something has that name; name a new file' : reasonOf(error);
  return new OperationFailed(`cannot write ${name}: ${reason}`, { cause: error });
}
