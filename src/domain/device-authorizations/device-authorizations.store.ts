import type { DeviceAuthorizationId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type {
  Approval,
  DeviceAuthorization,
  NewDeviceAuthorization,
  PolledDevice,
} from './device-authorization.js';

export abstract class DeviceAuthorizationsStore {
  /** False, and nothing written, where a living one has this user code. */
  abstract add(device: NewDeviceAuthorization): Promise<boolean>;

  /** One that waits for its user. */
  abstract findPending(userCode: string): Promise<DeviceAuthorization | undefined>;

  /** One that waits for its user, for the page that asks them. */
  abstract find(id: DeviceAuthorizationId): Promise<DeviceAuthorization | undefined>;

  /** One conditional statement; false where it is decided or expired already. */
  abstract approve(tx: Tx, id: DeviceAuthorizationId, approval: Approval): Promise<boolean>;

  /** One conditional statement; false where it is decided or expired already. */
  abstract deny(tx: Tx, id: DeviceAuthorizationId): Promise<boolean>;

  /**
   * What became of it, and notes that its device asked: a device that asks too early is told so, and has to wait for longer
   * from then on, also where two questions arrive at once. Undefined for a code that nobody has.
   */
  abstract poll(deviceCodeHash: Buffer): Promise<PolledDevice | undefined>;
}
