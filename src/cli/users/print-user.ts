import { stateWord, type User } from '../api/users.js';
import { printable } from '../shell/printable.js';
import type { Terminal } from '../shell/terminal.js';

/** A user in a few lines for people, or as JSON; both on standard output. */
export function printUser(user: User, json: boolean | undefined, terminal: Terminal): void {
  terminal.stdout.write(json ? `${JSON.stringify(user)}\n` : `${linesOf(user).map(printable).join('\n')}\n`);
}

function linesOf(user: User): string[] {
  const { human, machine, details } = user;
  const rows: [string, string | undefined][] = [
    ['login name', user.preferredLoginName],
    ['name', human?.profile.displayName ?? machine?.name],
    ['e-mail', human && withDoubt(human.email.email, human.email.isEmailVerified)],
    ['phone', human?.phone && withDoubt(human.phone.phone, human.phone.isPhoneVerified)],
    ['created', details.creationDate],
    ['changed', details.changeDate],
  ];
  const kind = machine === undefined ? 'User' : 'Service user';
  return [
    `${kind} ${user.id} is ${stateWord(user)}`,
    ...rows.flatMap(([name, value]) => (value === undefined ? [] : [`  ${name.padEnd(12)}${value}`])),
  ];
}

function withDoubt(value: string, isVerified: boolean | undefined): string {
  return isVerified === true ? value : `${value} (not verified)`;
}

/** Users as a table whose columns are as wide as what stands in them. */
export function printUsers(users: readonly User[], terminal: Terminal): void {
  const rows = users.map((user) =>
    [
      user.id,
      stateWord(user),
      user.preferredLoginName,
      user.human?.email.email ?? '',
      user.human?.profile.displayName ?? user.machine?.name ?? '',
    ].map(printable),
  );
  const widths = rows.reduce<number[]>(
    (widest, row) => row.map((cell, column) => Math.max(widest[column] ?? 0, cell.length)),
    [],
  );
  for (const row of rows) {
    const line = row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
    terminal.stdout.write(`${line.trimEnd()}\n`);
  }
}
