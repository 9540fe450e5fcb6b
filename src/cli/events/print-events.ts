import type { AuditedEvent } from '../api/events.js';
import { printable } from '../shell/printable.js';
import type { Terminal } from '../shell/terminal.js';

/** Columns with a fixed width, so that what is followed stays in line. */
export function printEvents(events: readonly AuditedEvent[], terminal: Terminal): void {
  for (const event of events) terminal.stdout.write(`${printable(lineOf(event))}\n`);
}

function lineOf({ creationDate, type, aggregate, editor, fields = [], payload = {} }: AuditedEvent): string {
  const told = [
    ...(fields.length === 0 ? [] : [`[${fields.join(', ')}]`]),
    ...Object.entries(payload).map(([name, value]) => `${name}=${wordOf(value)}`),
  ];
  return [
    creationDate.replace(/\.\d+Z$/, 'Z'),
    type.padEnd(34),
    `${aggregate.type}:${aggregate.id}`.padEnd(36),
    `by ${editor?.userId ?? 'the service'}`.padEnd(22),
    told.join(' '),
  ]
    .join('  ')
    .trimEnd();
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
