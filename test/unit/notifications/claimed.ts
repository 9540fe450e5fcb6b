import type { ClaimedNotification } from '../../../src/domain/notifications/notifications.store.js';
import type { NotificationId, OrgId, UserId } from '../../../src/domain/shared/ids.js';

export function claimed(differences: Partial<ClaimedNotification> = {}): ClaimedNotification {
  return {
    id: 'note-1' as NotificationId,
    fence: '1',
    attempts: 1,
    failures: 0,
    lastError: null,
    handOvers: 0,
    outboxId: '5',
    channel: 'email',
    template: 'initialise',
    codeId: 'code-1',
    code: 'ABC123',
    codeProviderId: null,
    createdAt: new Date('2026-12-31T00:00:00Z'),
    expiresAt: new Date('2027-01-01T00:00:00Z'),
    expired: false,
    codeEnded: false,
    orgId: 'org-1' as OrgId,
    userId: 'user-1' as UserId,
    registrationId: null,
    userActive: true,
    organization: { name: 'Acme' },
    displayName: 'Ada Lovelace',
    loginName: 'ada@acme.test',
    email: 'ada@mail.test',
    phone: null,
    preferredLanguage: 'en',
    ownTexts: [],
    ...differences,
  };
}
