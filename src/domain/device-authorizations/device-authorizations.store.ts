import type { DeviceAuthorizationId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type {
  Approval,
  DeviceAuthorization,
  NewDeviceAuthorization,
  PolledDevice,
} from './device-authorization.js';

/** Device authorizations (RFC 8628), from the device's request until its token or the end of its codes. */
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
   * The outcome; also records the poll: a device that polls too early gets `slow_down`, and has to wait longer
   * from then on, also if two polls arrive at once. Undefined for an unknown code.
   */
  abstract poll(deviceCodeHash: Buffer): Promise<PolledDevice | undefined>;
}
