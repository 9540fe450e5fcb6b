import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OrganizationsStore } from '../../domain/organizations/organizations.store.js';
import { renderDevicePage, type DevicePage } from '../../pages/device-pages.js';
import { Csrf } from '../shared/pages/csrf.js';
import { Pages } from '../shared/pages/pages.js';

const STEP = 'device';
const PATH = '/device';

/**
 * The page for the code of a device. Until one is entered it has the branding of the default organization: a link with a code must
 * not reveal whose it is.
 */
@Injectable()
export class DeviceForm {
  constructor(
    private readonly orgs: OrganizationsStore,
    private readonly csrf: Csrf,
    private readonly pages: Pages,
  ) {}

  /** Whether what was submitted is of this page. */
  holds(request: FastifyRequest, token: string | undefined): boolean {
    return this.csrf.holds(request, token, STEP);
  }

  async show(
    request: FastifyRequest,
    reply: FastifyReply,
    view: Pick<DevicePage, 'code' | 'problem'>,
  ): Promise<void> {
    const { problem } = view;
    const form = { action: PATH, csrf: this.csrf.token(STEP) };
    this.pages.send(request, reply, (page) => renderDevicePage({ ...page, ...view, form }), {
      status: problem === undefined ? 200 : problem === 'too-many-attempts' ? 429 : 400,
      organization: await this.orgs.findDefaultBranding(),
    });
  }
}
