import { createSocket, type Socket } from 'node:dgram';

const TYPE_A = 1;
const NAME_AT = 12;

/** A DNS server (RFC 1035) that knows one thing: every name has these IPv4 addresses. */
export class NameServer {
  private constructor(
    private readonly socket: Socket,
    readonly port: number,
  ) {}

  static async start(addresses: readonly string[]): Promise<NameServer> {
    const socket = createSocket('udp4');
    socket.on('message', (question, { port, address }) =>
      socket.send(answerTo(question, addresses), port, address),
    );
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    return new NameServer(socket, socket.address().port);
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.socket.close(resolve));
  }
}

function answerTo(question: Buffer, addresses: readonly string[]): Buffer {
  const end = question.indexOf(0, NAME_AT) + 5;
  const isA = question.readUInt16BE(end - 4) === TYPE_A;
  const records = (isA ? addresses : []).map((address) =>
    Buffer.from([0xc0, NAME_AT, 0, TYPE_A, 0, 1, 0, 0, 0, 1, 0, 4, ...address.split('.').map(Number)]),
  );
  const head = Buffer.from(question.subarray(0, NAME_AT));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, question.subarray(NAME_AT, end), ...records]);
}
