import { createServer, type Socket } from 'node:net';

export interface ReceivedMail {
  readonly to: string;
  readonly messageId: string;
  readonly raw: string;
}

/** What the server does once it has the whole message: take it, refuse it with a code, or hang up without a word. */
export type Verdict = 'accept' | 'drop' | 'drop-after-taking' | `${4 | 5}${number}`;

/**
 * An SMTP server that can fail in every way one at a time. Every message of which all bytes arrived is in
 * `received`, unless it was refused with a code.
 */
export class SmtpSink {
  readonly received: ReceivedMail[] = [];
  /** Asked for each recipient and for each message. */
  atRecipient: (to: string) => Promise<Verdict> | Verdict = () => 'accept';
  atData: (to: string) => Promise<Verdict> | Verdict = () => 'accept';

  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((socket) => {
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('error', () => undefined);
    void this.converse(socket);
  });

  static async start(): Promise<SmtpSink> {
    const sink = new SmtpSink();
    await new Promise<void>((resolve) => sink.server.listen(0, '127.0.0.1', resolve));
    return sink;
  }

  get url(): string {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('the sink does not listen');
    return `smtp://127.0.0.1:${address.port}`;
  }

  to(address: string): readonly ReceivedMail[] {
    return this.received.filter((mail) => mail.to === address);
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async converse(socket: Socket): Promise<void> {
    const say = (line: string): void => {
      socket.write(`${line}\r\n`);
    };
    let to = '';
    let body: string[] | undefined;
    say('220 sink');
    for await (const line of linesOf(socket)) {
      if (body !== undefined) {
        if (line !== '.') {
          body.push(line);
          continue;
        }
        const verdict = await this.atData(to);
        const raw = body.join('\n');
        body = undefined;
        if (verdict === 'accept' || verdict.startsWith('drop')) {
          if (verdict !== 'drop') this.take(to, raw);
          if (verdict !== 'accept') socket.destroy();
          else say('250 taken');
        } else say(`${verdict} no <${to}>`);
        continue;
      }
      const verb = line.split(' ', 1)[0]?.toUpperCase();
      if (verb === 'RCPT') {
        to = /<(.*)>/.exec(line)?.[1] ?? '';
        const verdict = await this.atRecipient(to);
        say(verdict === 'accept' ? '250 ok' : `${verdict} no <${to}>`);
      } else if (verb === 'DATA') {
        body = [];
        say('354 go on');
      } else if (verb === 'QUIT') {
        socket.end('221 bye\r\n');
      } else say('250 ok');
    }
  }

  private take(to: string, raw: string): void {
    const messageId = /^Message-ID: (.*)$/im.exec(raw)?.[1] ?? '';
    this.received.push({ to, messageId, raw });
  }
}

/** As a reader sees it: quoted-printable breaks lines wherever they become too long (RFC 2045 §6.7). */
export function plain(raw: string): string {
  return raw.replaceAll('=\n', '').replaceAll('=3D', '=');
}

async function* linesOf(socket: Socket): AsyncGenerator<string> {
  let rest = '';
  socket.setEncoding('utf8');
  try {
    for await (const chunk of socket) {
      const lines = (rest + String(chunk)).split('\r\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } catch {
    // the client hung up, or the sink did
  }
}
