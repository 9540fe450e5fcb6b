import { createServer, type Socket } from 'node:net';

const USUAL: Readonly<Record<string, string>> = {
  greeting: '220 sink',
  DATA: '354 go on',
  QUIT: '221 bye',
};

/** An SMTP server that answers each step of the dialogue as it is told: with a line, not at all, or by hanging up. */
export class ScriptedSmtp {
  /** `hang`, `drop`, or the line to answer with; a step that is not named is accepted. `.` ends the message. */
  replies: Readonly<Record<string, string>> = {};
  readonly commands: string[] = [];
  /** Whole messages, whatever was answered to them. */
  readonly received: string[] = [];
  connections = 0;
  mostOpen = 0;

  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((socket) => {
    this.connections += 1;
    this.sockets.add(socket);
    this.mostOpen = Math.max(this.mostOpen, this.sockets.size);
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('error', () => undefined);
    this.converse(socket);
  });

  static async start(): Promise<ScriptedSmtp> {
    const server = new ScriptedSmtp();
    await new Promise<void>((resolve) => server.server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('the server does not listen');
    return `smtp://127.0.0.1:${address.port}`;
  }

  get open(): number {
    return this.sockets.size;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private converse(socket: Socket): void {
    let rest = '';
    let body: string[] | undefined;
    this.say(socket, 'greeting');
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (body === undefined) {
          this.commands.push(line);
          const verb = line.split(' ', 1)[0]?.toUpperCase() ?? '';
          if (verb === 'DATA' && this.say(socket, verb).startsWith('354')) body = [];
          else if (verb !== 'DATA') this.say(socket, verb);
        } else if (line === '.') {
          this.received.push(body.join('\n'));
          body = undefined;
          this.say(socket, '.');
        } else body.push(line);
      }
    });
  }

  private say(socket: Socket, step: string): string {
    const reply = this.replies[step] ?? USUAL[step] ?? '250 ok';
    if (reply === 'drop') socket.destroy();
    else if (reply !== 'hang' && !socket.destroyed) socket.write(`${reply}\r\n`);
    return reply;
  }
}
