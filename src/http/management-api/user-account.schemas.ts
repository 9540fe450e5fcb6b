import { z } from 'zod';
import { readUserName } from '../../domain/imports/records/human-record.js';

/** Body of `username` PUT. */
export const userNameBody = z
  .strictObject({ userName: z.string().optional() })
  .meta({ required: ['userName'], examples: [{ userName: 'ada' }] })
  .transform(({ userName }) => ({ userName: readUserName(userName) }));

/** Body of `password` POST. `passwordChangeRequired`: the next sign-in asks for another one; the default is true. */
export const passwordBody = z
  .strictObject({
    password: z.string(),
    passwordChangeRequired: z.boolean().default(true),
  })
  .meta({ examples: [{ password: 'Example-of-7-Tulips', passwordChangeRequired: true }] });
