import type { MigrationInterface, QueryRunner } from 'typeorm';
import { allowTemplates } from './allow-templates.js';

/** A mail to somebody who has deleted their account. */
export class AddDeletionNotice1795645392377 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await allowTemplates(runner, (before) => [...before, ...TEMPLATES]);
  }

  async down(runner: QueryRunner): Promise<void> {
    const list = TEMPLATES.map((template) => `'${template}'`).join(', ');
    await runner.query(`DELETE FROM notifications WHERE template IN (${list})`);
    await runner.query(`DELETE FROM message_templates WHERE type IN (${list})`);
    await allowTemplates(runner, (before) => before.filter((template) => !TEMPLATES.includes(template)));
  }
}

const TEMPLATES = ['account_deleted'];
