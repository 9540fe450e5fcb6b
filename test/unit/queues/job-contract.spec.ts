import { UnrecoverableError } from 'bullmq';
import { describe, expect, it } from 'vitest';
import { jobIdOf, laneOptions, readPayload } from '../../../src/queues/job-contract.js';
import { sendNotificationJob } from '../../../src/queues/notifications.queue.js';

describe('job contracts', () => {
  it('names a job after its row and epoch, never like an integer', () => {
    expect(jobIdOf({ id: '12', epoch: 0 })).toBe('o12-0');
    expect(jobIdOf({ id: '12', epoch: 3 })).toBe('o12-3');
  });

  it('lets the urgent lane overtake, since BullMQ serves jobs without a priority first', () => {
    expect(laneOptions('priority')).toEqual({});
    expect(laneOptions('normal').priority).toBeLessThan(laneOptions('bulk').priority ?? 0);
  });

  it('reads a payload that fits', () => {
    const data = { notificationId: '77', outboxId: '5' };
    expect(readPayload(sendNotificationJob, { data })).toEqual(data);
    expect(readPayload(sendNotificationJob, { data: { ...data, v: 1, added: 'later' } })).toEqual(data);
  });

  it('leaves a newer version to newer workers', () => {
    expect(readPayload(sendNotificationJob, { data: { v: 2, somethingElse: true } })).toBeUndefined();
  });

  it.each([
    undefined,
    null,
    'text',
    {},
    { notificationId: '', outboxId: '5' },
    { notificationId: '77', outboxId: '5; drop' },
    { notificationId: 77, outboxId: '5' },
  ])('fails a payload for good that does not fit: %j', (data) => {
    expect(() => readPayload(sendNotificationJob, { data })).toThrow(UnrecoverableError);
  });
});
