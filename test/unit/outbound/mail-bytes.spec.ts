import { describe, expect, it } from 'vitest';
import type { MailMessage } from '../../../src/domain/notifications/channels.js';
import { mailBytes } from '../../../src/outbound/mail/mail-bytes.js';

const SETTINGS = { host: 'mail.test', port: 25, tls: 'none', from: 'Äpfel & Co <id@mail.test>' } as const;

function mail(differences: Partial<MailMessage>): MailMessage {
  return {
    messageId: 'n1@id.test',
    to: 'ada@mail.test',
    subject: 'Hello',
    text: 'Text\n',
    html: '<p>Text</p>',
    ...differences,
  };
}

interface Part {
  readonly type: string;
  readonly encoding: string;
  readonly content: string;
}

/** Undoes RFC 2045 and RFC 2046, as a mail program does. */
function read(bytes: Buffer): { head: string; parts: readonly Part[] } {
  const raw = bytes.toString('latin1');
  for (const line of raw.split('\r\n')) expect(line.length).toBeLessThanOrEqual(78);
  expect(raw).not.toMatch(/(?<!\r)\n|\r(?!\n)|[^\t\r\n -~]/);
  const end = raw.indexOf('\r\n\r\n');
  const head = raw.slice(0, end).replace(/\r\n[ \t]/g, ' ');
  const boundary = /boundary="([^"]+)"/.exec(head)?.[1] ?? '';
  const [before, ...rest] = raw.slice(end + 4).split(`--${boundary}`);
  expect(before).toBe('');
  expect(rest.pop()).toBe('--\r\n');
  return { head, parts: rest.map(readPart) };
}

function readPart(raw: string): Part {
  const [, type = '', encoding = '', encoded = ''] =
    /^\r\nContent-Type: (\S+); charset=utf-8\r\nContent-Transfer-Encoding: (\S+)\r\n\r\n([^]*)\r\n$/.exec(
      raw,
    ) ?? [];
  const bytes =
    encoding === 'base64'
      ? Buffer.from(encoded, 'base64')
      : Buffer.from(
          encoded
            .replace(/=\r\n/g, '')
            .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
          'latin1',
        );
  return { type, encoding, content: bytes.toString().replace(/\r\n/g, '\n') };
}

describe('the bytes of a mail', () => {
  it('hold both twins and say who writes, to whom, and that nobody need answer', () => {
    const { head, parts } = read(mailBytes(mail({}), { ...SETTINGS, replyTo: 'help@mail.test' }));
    expect(head.split('\r\n')).toEqual(
      expect.arrayContaining([
        'From: =?UTF-8?Q?=C3=84pfel_=26_Co?= <id@mail.test>',
        'To: ada@mail.test',
        'Reply-To: help@mail.test',
        'Subject: Hello',
        'Message-ID: <n1@id.test>',
        'Auto-Submitted: auto-generated',
        'X-Auto-Response-Suppress: All',
        'MIME-Version: 1.0',
      ]),
    );
    expect(head).toMatch(/^Date: \w{3}, \d\d \w{3} \d{4} [\d:]{8} \+0000$/m);
    expect(parts).toEqual([
      { type: 'text/plain', encoding: 'quoted-printable', content: 'Text\n' },
      { type: 'text/html', encoding: 'quoted-printable', content: '<p>Text</p>' },
    ]);
  });

  it.each([
    ['long lines', 'word '.repeat(400) + 'x'.repeat(400)],
    ['what looks like an encoding', 'a=3D b=\n=20 c = d'],
    ['blanks and dots at the ends of lines', '.\n. \n..\t\n \n.'],
    ['letters that are not ASCII', 'Übergrößenträger, naïve façade 😀\n'.repeat(20)],
    ['no letter of ASCII', 'パスワードが変更されました。\n'.repeat(20)],
    ['signs that take three and break every line', '='.repeat(500)],
    ['a break in a pair', 'a\r\nb\rc\n\r\n'],
    ['nothing', ''],
    ['a lone half of a letter', 'a\uD800b'],
  ])('give back %s', (_what, content) => {
    const { parts } = read(mailBytes(mail({ text: content, html: content }), SETTINGS));
    const given = Buffer.from(content).toString().replace(/\r\n/g, '\n');
    expect(parts.map((part) => part.content)).toEqual([given, given]);
  });

  it('cut no letter in two, and have lines of 76 characters at most', () => {
    const text = `${'ab😀éx'.repeat(99)} ende`;
    const raw = mailBytes(mail({ text }), SETTINGS).toString();
    const lines = /quoted-printable\r\n\r\n([^]*?)\r\n--=_/.exec(raw)?.[1]?.split('\r\n') ?? [];
    expect(lines.length).toBeGreaterThan(9);
    for (const line of lines) {
      expect(line.length).toBeLessThanOrEqual(76);
      const ended = line.replace(/=$/, '').replace(/=(..)/g, '%$1');
      expect(() => decodeURIComponent(ended)).not.toThrow();
    }
  });

  it('are base64 where that is shorter', () => {
    const { parts } = read(
      mailBytes(mail({ text: '変更されました', html: '<p>変更</p>'.repeat(9) }), SETTINGS),
    );
    expect(parts.map(({ encoding }) => encoding)).toEqual(['base64', 'quoted-printable']);
  });

  it('let no subject and no address begin a header, and no comma name somebody else (S152)', () => {
    const subject = 'Hi\r\nBcc: eve@evil.test\r\n\r\n<p>';
    const { head, parts } = read(mailBytes(mail({ subject, to: '"a,eve@evil.test,"@mail.test' }), SETTINGS));
    expect(head).not.toMatch(/^Bcc/m);
    expect(head).toContain('To: <"a,eve@evil.test,"@mail.test>');
    expect(parts).toHaveLength(2);
  });

  it('encode a subject that is not ASCII', () => {
    const { head } = read(mailBytes(mail({ subject: 'パスワード'.repeat(10) }), SETTINGS));
    const words = head.match(/=\?UTF-8\?B\?[^?]+\?=/g) ?? [];
    const subject = words.map((word) => Buffer.from(word.slice(10, -2), 'base64').toString()).join('');
    expect(subject).toBe('パスワード'.repeat(10));
  });
});
