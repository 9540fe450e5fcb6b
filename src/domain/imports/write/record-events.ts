import type { AuditEvent } from '../../events/events.store.js';
import type { ClaimedChunk } from '../chunks/import-chunks.store.js';
import type { UserToAdd } from './import-users.store.js';
import type { ChangePlan } from './plan-change.js';

export function addedEvent(chunk: ClaimedChunk, add: UserToAdd): AuditEvent {
  const { password } = add;
  return {
    orgId: add.orgId,
    aggregateType: 'user',
    aggregateId: add.id,
    sequence: 1,
    type: add.is.type === 'human' ? 'user.human.imported' : 'user.machine.imported',
    actorId: chunk.createdBy,
    fields: writtenFields(add),
    data: {
      state: add.state,
      passwordScheme: password?.scheme ?? null,
      passwordWeak: password?.weak ?? null,
      import: chunk.jobId,
    },
  };
}

function writtenFields({
  is,
  password,
  totpSecret,
  recoveryCodes = [],
  codeFactors = [],
  passkeys = [],
  identities = [],
  metadata,
}: UserToAdd): string[] {
  const fields = ['userName'];
  if (is.type === 'human') {
    fields.push('email');
    if (is.phone !== undefined) fields.push('phone');
    if (password !== undefined) fields.push('password');
    if (totpSecret !== undefined) fields.push('totpSecret');
    if (recoveryCodes.length > 0) fields.push('recoveryCodes');
    if (codeFactors.length > 0) fields.push('codeFactors');
    if (passkeys.length > 0) fields.push('passkeys');
    if (identities.length > 0) fields.push('identities');
    fields.push(...Object.keys(is.profile).sort());
  }
  for (const { key } of metadata) fields.push(`metadata.${key}`);
  return fields;
}

export function changedEvent(chunk: ClaimedChunk, { change, fields, sequence }: ChangePlan): AuditEvent {
  return {
    orgId: change.orgId,
    aggregateType: 'user',
    aggregateId: change.id,
    sequence,
    type: change.is.type === 'human' ? 'user.human.changed' : 'user.machine.changed',
    actorId: chunk.createdBy,
    fields,
    data: { state: change.state, import: chunk.jobId },
  };
}
