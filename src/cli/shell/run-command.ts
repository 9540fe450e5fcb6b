import type { Command, CommandGroup, Terminal } from './command.js';
import { EXIT, type ExitCode, Interrupted, OperationFailed, UsageError } from './exit.js';
import { helpOfCommand, helpOfGroup } from './help.js';
import { readArguments } from './options.js';
import { didYouMean } from './did-you-mean.js';

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
    if (name === '--version' && at === root) {
      terminal.stdout.write(`${root.name} ${terminal.version}\n`);
      return EXIT.ok;
    }
    const next: Command | CommandGroup | undefined = at.commands.find((command) => command.name === name);
    if (next === undefined && at.otherwise !== undefined) {
      const meant =
        isPlainWord(name) &&
        didYouMean(
          name,
          at.commands.map((command) => command.name),
        );
      if (meant)
        return wrong(terminal, path, `no such command; ${meant} For a file of that name, write ./<file>.`);
      at = at.otherwise;
      break;
    }
    if (next === undefined) {
      // the names, not what was typed: a mistyped line may begin with a secret
      const known = at.commands.map((command) => command.name);
      return wrong(
        terminal,
        path,
        `no such command; ${didYouMean(name, known) ?? `there are ${known.join(', ')}`}`,
      );
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

/** No path and no option: such as a mistyped command. */
function isPlainWord(text: string): boolean {
  return /^[a-z-]+$/.test(text) && !text.startsWith('-');
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
