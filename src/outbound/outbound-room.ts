import type { Provider } from '@nestjs/common';
import { ProviderChannels } from '../domain/notifications/providers/provider-channels.js';
import { ProviderHosts } from '../domain/notifications/providers/provider-hosts.js';
import { OutboundChannels } from './outbound-channels.js';
import { OutboundHosts } from './outbound-hosts.js';

/** The doors to mail and SMS providers: the worker sends through them, the API tests them and has codes checked. */
export const outboundRoom: Provider[] = [
  { provide: ProviderChannels, useClass: OutboundChannels },
  { provide: ProviderHosts, useClass: OutboundHosts },
];
