import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The shortest time after which TCP sends again what was lost (Linux). */
const RESENT_AFTER_MS = 200;

/** Stands before a server and can cut the line, or let it hang without a word as a dead network does. */
export class TcpProxy {
  /** Pieces that came while it hung. */
  swallowed = 0;
  private mode: 'forward' | 'cut' | 'hang' = 'forward';
  private latencyMs = 0;
  /** Of so many pieces one comes as late as TCP sends it again. */
  private lossOneIn = 0;
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
      // one after the other, however late: a stream keeps its order
      let sent = Promise.resolve();
      from.on('data', (chunk) => {
        if (this.mode === 'hang') this.swallowed += 1;
        if (this.mode !== 'forward') return;
        const lateMs = this.lateMs();
        if (lateMs === 0 && this.latencyMs === 0 && this.lossOneIn === 0) to.write(chunk);
        else sent = sent.then(() => sleep(lateMs)).then(() => void (to.destroyed || to.write(chunk)));
      });
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
    }
  });

  private pieces = 0;

  private constructor(private targetPort: number) {}

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

  /** Every piece comes later; of so many one is lost at first and sent again. */
  slow(latencyMs: number, lossOneIn = 0): void {
    this.latencyMs = latencyMs;
    this.lossOneIn = lossOneIn;
  }

  /** From now on another server stands behind it. */
  failOver(targetPort: number): void {
    this.leadTo(targetPort);
    for (const socket of this.sockets) socket.destroy();
  }

  /** The same for new connections alone: those that stand go on with the server that they have. */
  leadTo(targetPort: number): void {
    this.targetPort = targetPort;
  }

  hang(): void {
    this.mode = 'hang';
  }

  /** What hung stays dead; new connections work. */
  mend(): void {
    this.mode = 'forward';
    for (const socket of this.sockets) socket.destroy();
  }

  private lateMs(): number {
    this.pieces += 1;
    const lost = this.lossOneIn > 0 && this.pieces % this.lossOneIn === 0;
    return this.latencyMs + (lost ? RESENT_AFTER_MS : 0);
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
