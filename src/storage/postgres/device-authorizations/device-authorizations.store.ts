// SQL by hand: a device code is added by one statement that frees expired user codes; one UPDATE records a poll and checks its interval
import { Injectable } from '@nestjs/common';
import {
  DEVICE_CODE_SECONDS,
  LAST_POLLS_SECONDS,
  POLL_SECONDS,
  type Approval,
  type DeviceAuthorization,
  type NewDeviceAuthorization,
  type PolledDevice,
} from '../../../domain/device-authorizations/device-authorization.js';
import { DeviceAuthorizationsStore } from '../../../domain/device-authorizations/device-authorizations.store.js';
import type { DeviceAuthorizationId } from '../../../domain/shared/ids.js';
import { randomId } from '../../../domain/shared/random.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { Sql } from '../sql.js';
import type { Statement } from '../statement.js';
import { AHEAD, columns, pick, Table } from '../table.js';
import { DeviceAuthorizationEntity } from '../tables/device-authorization.entity.js';
import { written } from '../written.js';

/** Subtracted from the interval, since clocks of devices and networks are not exact. */
const TOLERANCE_SECONDS = 1;

const ADDED = written(
  DeviceAuthorizationEntity,
  ['id', 'applicationId', 'deviceCodeHash', 'userCode', 'scopes', 'askedFrom'],
  1,
);
const ADD: Statement = {
  name: 'device-authorizations-add',
  text: `
    WITH over AS (
      DELETE FROM device_authorizations WHERE user_code = $4 AND state = 'pending' AND expires_at <= app_now()
      RETURNING id
    )
    INSERT INTO device_authorizations (${ADDED.columns}, poll_seconds, expires_at)
    SELECT ${ADDED.parameters}, ${POLL_SECONDS}, app_now() + interval '${DEVICE_CODE_SECONDS} seconds'
    FROM (SELECT count(*) FROM over) AS before
    ON CONFLICT (user_code) WHERE state = 'pending' DO NOTHING`,
};
const FOUND = ['id', 'applicationId', 'userCode', 'scopes', 'askedFrom'] as const;
const WAITS = { state: 'pending', expiresAt: AHEAD } as const;

// the row is locked first: of two concurrent polls, the second sees the time of the first
const POLL: Statement = {
  name: 'device-authorizations-poll',
  text: `
    WITH asked AS MATERIALIZED (
      SELECT d.id, d.state = 'pending'
        AND coalesce(d.polled_at > app_now() - make_interval(secs => d.poll_seconds - ${TOLERANCE_SECONDS}), false) AS early
      FROM device_authorizations d WHERE d.device_code_hash = $1 FOR UPDATE
    )
    UPDATE device_authorizations d SET polled_at = app_now(),
      poll_seconds = least(d.poll_seconds + CASE WHEN early THEN ${POLL_SECONDS} ELSE 0 END, ${DEVICE_CODE_SECONDS})
    FROM asked WHERE d.id = asked.id
    RETURNING ${columns(DeviceAuthorizationEntity, 'd', ['applicationId', 'state', 'codeHash'])}, asked.early,
      d.expires_at <= app_now() AS expired`,
};

@Injectable()
export class PgDeviceAuthorizationsStore extends DeviceAuthorizationsStore {
  private readonly rows: Table<DeviceAuthorizationEntity>;

  constructor(private readonly sql: Sql) {
    super();
    this.rows = new Table(sql, DeviceAuthorizationEntity);
  }

  override async add(device: NewDeviceAuthorization): Promise<boolean> {
    const row = { ...device, id: randomId() as DeviceAuthorizationId, scopes: [...device.scopes] };
    return (await this.sql.change(ADD, ADDED.valuesOf(row))) === 1;
  }

  override async findPending(userCode: string): Promise<DeviceAuthorization | undefined> {
    const row = await this.rows.find({ userCode, ...WAITS });
    return row && pick(row, FOUND);
  }

  override async find(id: DeviceAuthorizationId): Promise<DeviceAuthorization | undefined> {
    const row = await this.rows.find({ id, ...WAITS });
    return row && pick(row, FOUND);
  }

  override async approve(
    tx: Tx,
    id: DeviceAuthorizationId,
    { userId, codeHash }: Approval,
  ): Promise<boolean> {
    const expiresAt = () => `greatest(expires_at, app_now() + interval '${LAST_POLLS_SECONDS} seconds')`;
    const approved = { state: 'approved', userId, codeHash, expiresAt } as const;
    return (await this.rows.changeAll(tx, { id, ...WAITS }, approved)) === 1;
  }

  override async deny(tx: Tx, id: DeviceAuthorizationId): Promise<boolean> {
    return (await this.rows.changeAll(tx, { id, ...WAITS }, { state: 'denied' })) === 1;
  }

  override async poll(deviceCodeHash: Buffer): Promise<PolledDevice | undefined> {
    return await this.sql.row<PolledDevice & Record<string, unknown>>(POLL, [deviceCodeHash]);
  }
}
