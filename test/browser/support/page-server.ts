import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { assets } from '../../../src/pages/design/assets.js';

/** Serves rendered pages as the service does: with the stylesheet, under the same Content-Security-Policy. */
export class PageServer {
  private readonly pages = new Map<string, string>();

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    readonly origin: string,
  ) {}

  /**
   * @param nonce that the pages were rendered with
   * @param formTarget origin that forms may lead to besides our own
   */
  static async listen(nonce: string, formTarget = ''): Promise<PageServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const self = new PageServer(server, `http://127.0.0.1:${port}`);
    const policy =
      `default-src 'none'; style-src 'self' 'nonce-${nonce}'; script-src 'nonce-${nonce}'; img-src 'self'; ` +
      `form-action 'self' ${formTarget}; frame-ancestors 'none'; base-uri 'none'`;
    server.on('request', (request, response) => {
      const asset = assets.get(request.url ?? '');
      const page = self.pages.get(request.url ?? '');
      response.setHeader('content-security-policy', policy);
      if (asset !== undefined) response.setHeader('content-type', asset.contentType).end(asset.body);
      else response.setHeader('content-type', 'text/html; charset=utf-8').end(page ?? '<!doctype html>');
    });
    return self;
  }

  /** Its address from now on. */
  show(name: string, markup: string): string {
    this.pages.set(`/${name}`, markup);
    return `${this.origin}/${name}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
