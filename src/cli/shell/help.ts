import type { Command, CommandGroup } from './command.js';
import type { Option } from './options.js';

const WIDTH = 100;
const LEFT = 2;

/** The text of `--help` of a group: what it is for and which commands it has. */
export function helpOfGroup(path: readonly string[], group: CommandGroup): string {
  const rows = group.commands.map(({ name, summary }) => [name, summary] as const);
  const { otherwise } = group;
  const usage = otherwise === undefined ? [] : [usageOf(path, otherwise)];
  return sections([
    paragraphs(`${group.summary}.`, group.description),
    `Usage: ${[...usage, `${path.join(' ')} <command> [options]`].join('\n       ')}`,
    ...(otherwise === undefined ? [] : [table('Options', optionRows(otherwise))]),
    table('Commands', rows),
    examples(group.examples),
    `'${path.join(' ')} <command> --help' explains a command.${path.length === 1 ? ` '${path.join(' ')} --version' tells the release.` : ''}`,
  ]);
}

/** The text of `--help` of a command. */
export function helpOfCommand(path: readonly string[], command: Command): string {
  const { parameters = [] } = command;
  return sections([
    paragraphs(`${command.summary}.`, command.description),
    `Usage: ${usageOf(path, command)}`,
    parameters.length === 0
      ? ''
      : table(
          'Arguments',
          parameters.map(({ name, meaning }) => [name, meaning] as const),
        ),
    table('Options', optionRows(command)),
    examples(command.examples),
  ]);
}

function usageOf(path: readonly string[], { parameters = [], options }: Command): string {
  return [
    ...path,
    ...parameters.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)),
    ...Object.entries(options)
      .filter(([, option]) => option.required)
      .map(([name, option]) => `--${name} ${option.placeholder ?? ''}`),
    '[options]',
  ].join(' ');
}

function optionRows({ options }: Command): (readonly [string, string])[] {
  const rows = Object.entries(options).map(
    ([name, option]) => [written(name, option), option.meaning] as const,
  );
  return [...rows, ['--help', 'this text']];
}

function written(name: string, option: Option): string {
  if (option.kind === 'flag') return `--${name}`;
  return option.kind === 'truth' ? `--${name} [true|false]` : `--${name} ${option.placeholder ?? 'VALUE'}`;
}

function sections(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function paragraphs(...texts: readonly (string | undefined)[]): string {
  const written = texts.filter((text) => text !== undefined).flatMap((text) => text.split('\n\n'));
  return written.map((text) => wrap(text, 0).join('\n')).join('\n\n');
}

function examples(lines: readonly string[]): string {
  return lines.length === 0 ? '' : ['Examples:', ...lines.map((line) => `  ${line}`)].join('\n');
}

function table(title: string, rows: readonly (readonly [string, string])[]): string {
  const column = Math.min(34, Math.max(...rows.map(([name]) => name.length)) + LEFT + 2);
  const lines = rows.flatMap(([name, meaning]) => {
    const [first = '', ...more] = wrap(meaning, column);
    const label = `${' '.repeat(LEFT)}${name}`;
    return label.length + 1 > column
      ? [label, ' '.repeat(column) + first, ...more.map((line) => ' '.repeat(column) + line)]
      : [label.padEnd(column) + first, ...more.map((line) => ' '.repeat(column) + line)];
  });
  return [`${title}:`, ...lines].join('\n');
}

function wrap(text: string, indent: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > WIDTH - indent) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' ? lines : [...lines, line];
}
