import { ComposeMessages } from '../../src/domain/notifications/compose-messages.js';
import type { MessageTemplatesStore } from '../../src/domain/notifications/templates/message-templates.store.js';

/** Messages where nobody has set words of their own. */
export function builtInMessages(issuer: string): ComposeMessages {
  const templates = { findFor: () => Promise.resolve({}) } as unknown as MessageTemplatesStore;
  return new ComposeMessages(templates, { issuer });
}
