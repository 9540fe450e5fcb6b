import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../../src/config/config.js';
import {
  destinationOf,
  refusedDestination,
} from '../../../src/domain/notifications/abuse/sms-destination.js';
import { smsLimits } from '../../support/sending.js';

const settings = smsLimits();
const refusal = (number: string, origin: 'self' | 'manager' | 'import' = 'self') =>
  refusedDestination(destinationOf(number, 4), settings, origin);

describe('S190: in allowed countries, numbers that are not mobile get no SMS', () => {
  it.each([
    ['premium, United States', '+19002345678', 'premium_rate'],
    ['premium, Switzerland', '+41900123456', 'premium_rate'],
    ['premium for adults, Switzerland', '+41906123456', 'premium_rate'],
    ['personal, United Kingdom', '+447012345678', 'personal_number'],
    ['premium, France', '+33891234567', 'premium_rate'],
    ['premium, Germany', '+499001123456', 'premium_rate'],
    ['premium, Austria', '+43900123456', 'premium_rate'],
    ['premium, Netherlands', '+31906123456', 'premium_rate'],
    ['premium, Spain', '+34803123456', 'premium_rate'],
    ['premium, Poland', '+48701234567', 'premium_rate'],
    ['premium, Australia', '+611900123456', 'premium_rate'],
    ['premium, New Zealand', '+64900123456', 'premium_rate'],
    ['premium, Japan', '+81990123456', 'premium_rate'],
    ['premium, Finland', '+358600123456', 'premium_rate'],
    ['premium, Ireland', '+3531520123456', 'premium_rate'],
    ['premium, Belgium', '+3290123456', 'premium_rate'],
    ['service (087), United Kingdom', '+448712345678', 'premium_rate'],
    ['shared cost, Switzerland', '+41840123456', 'shared_cost'],
    ['shared cost, Germany', '+491802123456', 'shared_cost'],
    ['shared cost, Australia', '+611300123456', 'shared_cost'],
    ['shared cost, Spain', '+34901123456', 'shared_cost'],
    ['personal, United States', '+15005550006', 'personal_number'],
    ['personal, Germany', '+4970012345678', 'personal_number'],
    ['personal, Switzerland', '+41878123456', 'personal_number'],
    ['company-wide (UAN), United Kingdom', '+445512345678', 'uan'],
    ['company-wide (UAN), Netherlands', '+31881234567', 'uan'],
    ['company-wide (UAN), Japan', '+81570123456', 'uan'],
    ['pager, United Kingdom', '+447640123456', 'pager'],
    ['pager, Germany', '+491641234567', 'pager'],
    ['voicemail, Switzerland', '+41860791234567', 'voicemail'],
    ['internet telephony, United Kingdom', '+445612345678', 'voip'],
    ['internet telephony, Japan', '+815012345678', 'voip'],
    ['free of charge, Switzerland', '+41800123456', 'toll_free'],
    ['landline, United Kingdom', '+442079460958', 'fixed_line'],
  ])('%s (%s)', (_, number, type) => {
    expect(destinationOf(number, 4).type).toBe(type);
    expect([refusal(number), refusal(number, 'manager'), refusal(number, 'import')]).toEqual([
      'number_type',
      'number_type',
      'number_type',
    ]);
  });

  it.each(['+41791234567', '+33612345678', '+4915112345678', '+12025550123', '+819012345678'])(
    'mobile numbers and those that may be one get them: %s',
    (number) => {
      expect(refusal(number)).toBeUndefined();
    },
  );

  it.each(['+41741234567', '+467440123456', '+436301234567', '+16001234567'])(
    'a range that nobody listed gets what a manager calls for, and not what users ask for: %s',
    (number) => {
      expect(destinationOf(number, 4).type).toBe('unknown');
      expect([refusal(number), refusal(number, 'manager'), refusal(number, 'import')]).toEqual([
        'number_type',
        undefined,
        undefined,
      ]);
    },
  );

  it('the country is asked about first', () => {
    expect(refusal('+263771234567')).toBe('country');
  });
});

it('SMS_NUMBER_TYPES takes types, * and nothing else', () => {
  const types = (text: string) => readConfig({ SMS_NUMBER_TYPES: text }).smsLimits.numberTypes;
  expect(types('mobile, voip')).toEqual(['mobile', 'voip']);
  expect(types('*')).toEqual(['*']);
  for (const text of ['mobiles', 'MOBILE', ',']) expect(() => types(text)).toThrow(ConfigError);
});
