import { Injectable } from '@nestjs/common';
import { EventsStore, OPERATOR, type AuditEvent } from '../events/events.store.js';
import { UnitOfWork, type Tx } from '../shared/unit-of-work.js';
import { RotateKeys } from '../signing-keys/rotate-keys.js';
import { SigningKeysStore } from '../signing-keys/signing-keys.store.js';
import {
  RestoreStore,
  type DisabledOnRequest,
  type EndedByRestore,
  type WithheldWork,
} from './restore.store.js';

export interface FinishedRestore extends EndedByRestore {
  readonly disabled: Readonly<Partial<Record<DisabledOnRequest, number>>>;
  readonly keys: number;
  readonly held: WithheldWork;
}

/**
 * What a database that was restored from a backup needs before anybody is served from it. Whatever was ended after the backup
 * was taken would work again: sessions, tokens, keys, codes that were used, links that were opened. So everything that was
 * handed out ends, and everybody signs in once more. Messages that were due then have mostly been sent: they wait for a
 * decision.
 */
@Injectable()
export class FinishRestore {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly restore: RestoreStore,
    private readonly keys: SigningKeysStore,
    private readonly rotate: RotateKeys,
    private readonly events: EventsStore,
  ) {}

  /**
   * All in one transaction: what dies in the middle has done nothing, and doing it twice ends what began in between.
   * @throws ApiError resource-exhausted within a minute of an emergency of the keys
   */
  async finish(disable: readonly DisabledOnRequest[], osUser: string | undefined): Promise<FinishedRestore> {
    return await this.unitOfWork.run(async (tx) => {
      const ended = await this.restore.endAll(tx);
      const disabled: Partial<Record<DisabledOnRequest, number>> = {};
      for (const what of disable) disabled[what] = await this.restore.disable(tx, what);
      const keys = await this.replaceKeys(tx);
      await this.restore.holdWork(tx);
      await this.record(tx, 'instance.restored', { ...ended, ...disabled, osUser });
      return { ...ended, disabled, keys, held: await this.restore.countHeld(tx) };
    });
  }

  /** Releases held work; optionally without the messages. */
  async release(messages: 'send' | 'discard', osUser: string | undefined): Promise<WithheldWork> {
    return await this.unitOfWork.run(async (tx) => {
      const work =
        messages === 'send' ? await this.restore.release(tx) : await this.restore.discardMessages(tx);
      await this.record(tx, 'instance.restored_work_released', { decision: messages, ...work, osUser });
      return work;
    });
  }

  /**
   * New ones at once, and none of the old ones kept: what they signed or sealed has ended. The old ones go first where they can,
   * since a chain has room for few. @returns how many are new
   */
  private async replaceKeys(tx: Tx): Promise<number> {
    const { keys } = await this.keys.now(tx);
    const current = keys.filter(({ state }) => state === 'current');
    for (const key of keys) if (!current.includes(key)) await this.rotate.remove(tx, key.id, OPERATOR);
    for (const { id, chain } of current) {
      await this.rotate.replaceAtOnce(tx, chain, OPERATOR);
      await this.rotate.remove(tx, id, OPERATOR);
    }
    return current.length;
  }

  private async record(
    tx: Tx,
    type: 'instance.restored' | 'instance.restored_work_released',
    data: NonNullable<AuditEvent['data']>,
  ): Promise<void> {
    await this.events.append(tx, {
      orgId: null,
      aggregateType: 'instance',
      aggregateId: 'instance',
      sequence: '1',
      type,
      actorId: OPERATOR,
      data,
    });
  }
}
