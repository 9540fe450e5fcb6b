import type { Command, CommandGroup, Terminal } from './command.js';
import { EXIT, type ExitCode, Interrupted, OperationFailed, UsageError } from './exit.js';
import { helpOfCommand, helpOfGroup } from './help.js';
import { readArguments } from './options.js';

/**
 * Finds the command that the arguments name and runs it. Help goes to standard output when it was asked for; what is
 * wrong goes to standard error, with the way to the help that would have prevented it.
 */
export async function runCommandLine(
  root: CommandGroup,
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  const path: string[] = [root.name];
  let at: Command | CommandGroup = root;
  let rest = args;
  while ('commands' in at) {
    const [name, ...others] = rest;
    if (name === undefined) {
      // without a command and without an argument nothing was asked for
      terminal.stderr.write(helpOfGroup(path, at));
      return EXIT.usage;
    }
    if (name === '--help' || name === '-h' || name === 'help') {
      terminal.stdout.write(helpOfGroup(path, at));
      return EXIT.ok;
    }
    const next: Command | CommandGroup | undefined = at.commands.find((command) => command.name === name);
    if (next === undefined && at.otherwise !== undefined) {
      at = at.otherwise;
      break;
    }
    if (next === undefined) {
      // the names, not what was typed: a mistyped line may begin with a secret
      const names = at.commands.map((command) => command.name).join(', ');
      return wrong(terminal, path, `no such command; there are ${names}`);
    }
    path.push(next.name);
    at = next;
    rest = others;
  }
  if (asksForHelp(rest)) {
    terminal.stdout.write(helpOfCommand(path, at));
    return EXIT.ok;
  }
  return runOne(at, path, rest, terminal);
}

function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const own = end === -1 ? args : args.slice(0, end);
  return own.includes('--help') || own.includes('-h');
}

async function runOne(
  command: Command,
  path: readonly string[],
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  try {
    const { values, rest } = readArguments(command.options, args);
    const parameters = command.parameters ?? [];
    const missing = parameters.slice(rest.length).find(({ required }) => required);
    if (missing !== undefined) throw new UsageError(`<${missing.name}> is missing`);
    if (rest.length > parameters.length) throw new UsageError('too many arguments');
    return await command.run({ arguments: rest, options: values }, terminal);
  } catch (error) {
    if (error instanceof UsageError) return wrong(terminal, path, error.message);
    if (!(error instanceof OperationFailed) && !(error instanceof Interrupted)) throw error;
    terminal.stderr.write(`${path.join(' ')}: ${error.message}\n`);
    return error instanceof Interrupted ? EXIT.interrupted : EXIT.failed;
  }
}

function wrong(terminal: Terminal, path: readonly string[], message: string): ExitCode {
  const name = path.join(' ');
  terminal.stderr.write(`${name}: ${message}\nTry '${name} --help'.\n`);
  return EXIT.usage;
}
