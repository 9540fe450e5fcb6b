import { CommanderError, type Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { suggestionOf } from './did-you-mean.js';
import { EXIT, Interrupted, OperationFailed, UsageError, type ExitCode } from './exit.js';
import { printable } from './printable.js';
import type { Terminal } from './terminal.js';

const WIDTH = 100;

/**
 * Runs the command that the arguments name. Help goes to standard output when it was asked for; what is wrong goes to
 * standard error, with the way to the help that would have prevented it.
 */
export async function runCommandLine(
  program: Command,
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  let running: CommandUnknownOpts = program;
  speakThrough(terminal, program);
  program.hook('preAction', (_program, command) => {
    running = command;
    requireValues(command, args);
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return terminal.exitCode;
  } catch (error) {
    // commander has already printed it, through outputError
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (error instanceof UsageError) {
      complain(terminal, running, error.message);
      return EXIT.usage;
    }
    if (!(error instanceof OperationFailed) && !(error instanceof Interrupted)) throw error;
    terminal.stderr.write(`${pathOf(running)}: ${lines(error.message)}\n`);
    return error instanceof Interrupted ? EXIT.interrupted : EXIT.failed;
  }
}

/** Commander hands none of this down to commands that were made on their own. */
function speakThrough(terminal: Pick<Terminal, 'stdout' | 'stderr'>, command: CommandUnknownOpts): void {
  command
    .exitOverride()
    // what stands after a command is the command's: `import` knows most options of its commands, too
    .enablePositionalOptions()
    // in words of ours, withoutTyped
    .showSuggestionAfterError(false)
    .configureHelp({
      subcommandTerm: (one) => one.name(),
      commandDescription: (one) =>
        [one.summary(), one.description()].filter((text) => text !== '').join('.\n\n'),
    })
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
      outputError: (message) => complain(terminal, command, withoutTyped(message, command)),
      getOutHelpWidth: () => WIDTH,
      getErrHelpWidth: () => WIDTH,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  for (const one of command.commands) speakThrough(terminal, one);
}

function complain(terminal: Pick<Terminal, 'stderr'>, command: CommandUnknownOpts, message: string): void {
  const path = pathOf(command);
  terminal.stderr.write(`${path}: ${lines(message)}\nTry '${path} --help'.\n`);
}

/** What is wrong may have words of a file in it. */
function lines(message: string): string {
  return message.split('\n').map(printable).join('\n');
}

function pathOf(command: CommandUnknownOpts): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** What commander says of a command line, without what was typed: a secret may stand in it. */
function withoutTyped(message: string, { args, commands, options }: CommandUnknownOpts): string {
  const told = message.replace(/^error: /, '').trimEnd();
  if (told.startsWith('unknown command')) {
    const names = commands.map((one) => one.name());
    const suggestion = suggestionOf(args[0] ?? '', names);
    return suggestion
      ? `unknown command ${suggestion}`
      : `unknown command. Known commands: ${names.join(', ')}`;
  }
  // a missing one was perhaps mistyped, which commander would report only afterwards
  const unknown = told.startsWith('required option')
    ? args.find((arg) => /^--./.test(arg))
    : /^unknown option '(.*)'$/s.exec(told)?.[1];
  if (unknown === undefined) return told.replace(/ argument '.*' is invalid/s, ' argument is invalid');
  const [name] = /^--[a-z-]+/.exec(unknown) ?? [];
  // all our options have two dashes: what begins with one was more likely meant as an id
  if (name === undefined) return 'unknown option; put -- before arguments that begin with a hyphen';
  const longs = options.flatMap(({ long }) => long ?? []);
  return `unknown option '${name}' ${suggestionOf(name, longs)}`.trimEnd();
}

/** An empty value, and what looks like the option after one whose value was forgotten, is none. */
function requireValues(command: CommandUnknownOpts, args: readonly string[]): void {
  for (const option of command.options) {
    const value: unknown = command.getOptionValue(option.attributeName());
    if (value === '') throw new UsageError(`option '${option.flags}' has no value`);
    if (typeof value === 'string' && /^-./.test(value) && args.includes(value)) {
      throw new UsageError(
        `option '${option.flags}' argument missing; write a value that begins with a hyphen as ${option.long}=<value>`,
      );
    }
  }
}
