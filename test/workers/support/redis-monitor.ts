import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';

/**
 * Every command that reaches a Redis, as it tells them (`MONITOR`). On a connection of its own: a client library takes what
 * arrives together with the answer for an answer, and a busy Redis sends it together.
 */
export class RedisMonitor {
  private told = '';

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => (this.told += text));
    socket.on('error', () => undefined);
  }

  static async start(redisUrl: string): Promise<RedisMonitor> {
    const { hostname, port, password } = new URL(redisUrl);
    const socket = createConnection({ host: hostname, port: Number(port) });
    await once(socket, 'connect');
    const monitor = new RedisMonitor(socket);
    if (password !== '') socket.write(`AUTH ${decodeURIComponent(password)}\r\n`);
    socket.write('MONITOR\r\n');
    while (!monitor.told.includes('+OK')) await once(socket, 'data');
    return monitor;
  }

  /** One line for each command. */
  get commands(): readonly string[] {
    return this.told.split('\r\n');
  }

  stop(): void {
    this.socket.destroy();
  }
}
