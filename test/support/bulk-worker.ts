import { ChangeUserState } from '../../src/domain/accounts/change-user-state.js';
import { DeleteUser } from '../../src/domain/accounts/delete-user.js';
import { EndSessionsOfUser } from '../../src/domain/accounts/end-sessions-of-user.js';
import { ActOnUser } from '../../src/domain/bulk-actions/act-on-user.js';
import { BulkActionsStore } from '../../src/domain/bulk-actions/bulk-actions.store.js';
import { RunBulkAction } from '../../src/domain/bulk-actions/run-bulk-action.js';
import { EventsStore } from '../../src/domain/events/events.store.js';
import { OutboxStore } from '../../src/domain/outbox/outbox.store.js';
import { EffectiveRoles } from '../../src/domain/permissions/effective-roles.js';
import { Savepoint } from '../../src/domain/shared/savepoint.js';
import { UnitOfWork } from '../../src/domain/shared/unit-of-work.js';
import type { TestApi } from './api.js';

/** The use case of a worker in this process. */
export function bulkWorker({ app }: TestApi): RunBulkAction {
  const actOnUser = new ActOnUser(
    app.get(EffectiveRoles),
    app.get(ChangeUserState),
    app.get(EndSessionsOfUser),
    app.get(DeleteUser),
  );
  return new RunBulkAction(
    app.get(UnitOfWork),
    app.get(Savepoint),
    app.get(BulkActionsStore),
    app.get(OutboxStore),
    app.get(EventsStore),
    actOnUser,
  );
}
