import { connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between a service and its database, and can take the database away. */
export class TcpProxy {
  private readonly sockets = new Set<Socket>();
  private server: Server;
  private port = 0;

  private constructor(private readonly target: { readonly host: string; readonly port: number }) {
    this.server = this.makeServer();
  }

  static async before(url: string): Promise<{ proxy: TcpProxy; url: string }> {
    const { hostname, port } = new URL(url);
    const proxy = new TcpProxy({ host: hostname, port: Number(port) });
    await proxy.open();
    const through = new URL(url);
    through.host = `127.0.0.1:${proxy.port}`;
    return { proxy, url: through.href };
  }

  /** From now on connections are refused, and those there were are cut. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  /** Listens on the port it had before, if it had one. */
  async open(): Promise<void> {
    this.server = this.makeServer();
    await new Promise<void>((resolve) => this.server.listen(this.port, '127.0.0.1', resolve));
    const address = this.server.address();
    if (address !== null && typeof address !== 'string') this.port = address.port;
  }

  private makeServer(): Server {
    return createServer((client) => {
      const upstream = connect(this.target.port, this.target.host);
      for (const socket of [client, upstream]) {
        this.sockets.add(socket);
        socket.on('error', () => socket.destroy());
        socket.on('close', () => {
          this.sockets.delete(socket);
          client.destroy();
          upstream.destroy();
        });
      }
      client.pipe(upstream).pipe(client);
    });
  }
}
