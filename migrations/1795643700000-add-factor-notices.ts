import type { MigrationInterface, QueryRunner } from 'typeorm';
import { allowTemplates } from './allow-templates.js';

/** Mails that tell people what became of their second factors and recovery codes. */
export class AddFactorNotices1795643700000 implements MigrationInterface {
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

const TEMPLATES = [
  'factor_added',
  'factor_removed',
  'recovery_codes_made',
  'recovery_code_used',
  'factors_reset',
];
