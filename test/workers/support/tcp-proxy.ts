import { connect, createServer, type Socket } from 'node:net';

/** Stands before a server and can cut the line, or let it hang without a word as a dead network does. */
export class TcpProxy {
  private mode: 'forward' | 'cut' | 'hang' = 'forward';
  private readonly sockets = new Set<Socket>();

  private readonly server = createServer((client) => {
    if (this.mode === 'cut') {
      client.destroy();
      return;
    }
    const upstream = connect(this.targetPort, '127.0.0.1');
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.sockets.add(from);
      from.on('error', () => undefined);
      from.on('data', (chunk) => {
        if (this.mode === 'forward') to.write(chunk);
      });
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
    }
  });

  private constructor(private readonly targetPort: number) {}

  static async before(targetPort: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(targetPort);
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy does not listen');
    return address.port;
  }

  /** The same URL, by way of this proxy. */
  urlOf(url: string): string {
    const through = new URL(url);
    through.port = String(this.port);
    return through.href;
  }

  cut(): void {
    this.mode = 'cut';
    for (const socket of this.sockets) socket.destroy();
  }

  hang(): void {
    this.mode = 'hang';
  }

  /** What hung stays dead; new connections work. */
  mend(): void {
    this.mode = 'forward';
    for (const socket of this.sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
