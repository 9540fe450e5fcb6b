import type { Command, OptionValues } from '@commander-js/extra-typings';
import type { ApiClient } from '../api/api-client.js';
import { connect, connectionOptions } from '../api/connection.js';
import { OperationFailed } from '../shell/exit.js';
import { examples } from '../shell/help.js';
import { interruptible } from '../shell/interruptible.js';
import { withOptions } from '../shell/options.js';
import { printable } from '../shell/printable.js';
import type { Terminal } from '../shell/terminal.js';
import { SecretFile, secretOptions } from './secret-file.js';
import { splitArguments } from './split-arguments.js';

interface Call<Arguments extends unknown[], Options extends OptionValues, Answer> {
  /** With its name, its meaning, and what it asks for beside the connection. */
  readonly command: Command<Arguments, Options>;
  readonly call: (client: ApiClient, options: Options, ...given: Arguments) => Promise<Answer>;
  /** For people; `--json` writes the answer instead. */
  readonly told: (answer: Answer, ...given: Arguments) => string;
  readonly examples: readonly string[];
}

/** A command that makes one call and says what came of it. */
export function callCommand<Arguments extends unknown[], Options extends OptionValues, Answer>(
  terminal: Terminal,
  { command, call, told, examples: lines }: Call<Arguments, Options, Answer>,
) {
  return withOptions(command, connectionOptions)
    .addHelpText('after', examples(...lines))
    .action(async (...args: readonly unknown[]) => {
      const { given, options } = splitArguments<Arguments, Options>(args);
      const answer = await call(await connect(options, terminal), options, ...given);
      write(terminal, options.json ? JSON.stringify(answer) : told(answer, ...given));
    });
}

/**
 * The same for a call whose answer holds a secret that nobody is shown again: on standard output, or in a file of its
 * owner alone.
 */
export function secretCommand<
  Arguments extends unknown[],
  Options extends OptionValues,
  Answer extends object,
>(
  terminal: Terminal,
  {
    command,
    call,
    told,
    secretIn,
    examples: lines,
  }: Call<Arguments, Options, Answer> & { readonly secretIn: keyof Answer & string },
) {
  return withOptions(withOptions(command, secretOptions), connectionOptions)
    .addHelpText('after', examples(...lines))
    .action(async (...args: readonly unknown[]) => {
      const { given, options } = splitArguments<Arguments, Options & ReturnType<typeof secretOptions.opts>>(
        args,
      );
      const client = await connect(options, terminal);
      const { answer, failed } = await interruptible(terminal, PERHAPS_MADE, async (signal) => {
        const file = options.secretFile === undefined ? undefined : await SecretFile.open(options.secretFile);
        try {
          const answer = await unlessAborted(signal, () => call(client, options, ...given));
          // to its end, whoever presses Ctrl-C now
          const { [secretIn]: secret } = answer;
          if (typeof secret === 'string') return { answer, failed: await file?.write(secret) };
          await file?.abandon();
          return { answer, failed: undefined };
        } catch (error) {
          await file?.abandon();
          throw error;
        }
      });
      const { [secretIn]: secret, ...rest } = answer;
      // also where its file failed: the service has forgotten it, and the one before
      const isShown =
        typeof secret === 'string' && (options.secretFile === undefined || failed !== undefined);
      if (!options.json) write(terminal, told(answer, ...given));
      else if (!isShown) write(terminal, JSON.stringify(rest));
      if (isShown) {
        await show(terminal, options.json ? JSON.stringify(answer) : `Shown this once: ${secret}`, failed);
      }
      if (failed !== undefined) {
        throw new OperationFailed(`${failed.message}. The secret is on standard output instead`, {
          cause: failed,
        });
      }
    });
}

const PERHAPS_MADE =
  'interrupted; the service may have made the secret nevertheless. ' +
  'It is lost then, and one from before may have ended: make another one';

/** A call has no end of its own before its answer: whoever is done with waiting no longer hears it. */
async function unlessAborted<Answer>(signal: AbortSignal, call: () => Promise<Answer>): Promise<Answer> {
  signal.throwIfAborted();
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  return await Promise.race([call(), aborted]);
}

const LOST = 'the new secret could not be written to standard output and is lost: make another one';

/**
 * Here a reader who is gone is a failure too: nobody is shown the secret again.
 *
 * @throws OperationFailed
 */
async function show(terminal: Terminal, line: string, failed: OperationFailed | undefined): Promise<void> {
  const cause = await new Promise((resolve) => terminal.stdout.write(lineOf(line), resolve));
  if (cause === undefined || cause === null) return;
  throw new OperationFailed(failed === undefined ? LOST : `${failed.message}; ${LOST}`, { cause });
}

function write({ stdout }: Terminal, line: string): void {
  stdout.write(lineOf(line));
}

function lineOf(text: string): string {
  return `${text.split('\n').map(printable).join('\n')}\n`;
}
