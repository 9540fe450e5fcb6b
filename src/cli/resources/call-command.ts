import type { Command, OptionValues } from '@commander-js/extra-typings';
import type { ApiClient } from '../api/api-client.js';
import { connect, connectionOptions } from '../api/connection.js';
import { examples } from '../shell/help.js';
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
      const file = options.secretFile === undefined ? undefined : await SecretFile.open(options.secretFile);
      let answer: Answer;
      try {
        answer = await call(client, options, ...given);
      } catch (error) {
        await file?.abandon();
        throw error;
      }
      const { [secretIn]: secret, ...rest } = answer;
      const isNew = typeof secret === 'string';
      const lost = isNew ? await file?.write(secret).catch((error: unknown) => error) : await file?.abandon();
      // also where its file failed: the service has forgotten it, and the one before
      const isShown = isNew && (file === undefined || lost !== undefined);
      if (options.json) {
        write(terminal, JSON.stringify(isShown ? answer : rest));
      } else {
        write(terminal, told(answer, ...given));
        if (isShown) write(terminal, `Shown this once: ${secret}`);
      }
      if (lost !== undefined) throw lost;
    });
}

function write({ stdout }: Terminal, line: string): void {
  stdout.write(`${line.split('\n').map(printable).join('\n')}\n`);
}
