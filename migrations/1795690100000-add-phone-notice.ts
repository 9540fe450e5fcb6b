import type { MigrationInterface, QueryRunner } from 'typeorm';
import { allowTemplates } from './allow-templates.js';

/** The mail that tells people that their phone number is another one, or gone. */
export class AddPhoneNotice1795690100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await allowTemplates(runner, (before) => [...before, 'phone_changed']);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM notifications WHERE template = 'phone_changed'`);
    await runner.query(`DELETE FROM message_templates WHERE type = 'phone_changed'`);
    await allowTemplates(runner, (before) => before.filter((template) => template !== 'phone_changed'));
  }
}
