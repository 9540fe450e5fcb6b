import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { OrgId } from '../../../domain/shared/ids.js';
import { CountedChanges } from './counted-changes.js';
import { OrganizationEntity } from './organization.entity.js';

/** What people may do on an organization's sign-in pages. */
@Entity('login_policies')
@ForeignKey(() => OrganizationEntity, ['orgId'], ['id'], { name: 'login_policies_org', onDelete: 'CASCADE' })
export class LoginPolicyEntity extends CountedChanges {
  @PrimaryColumn('text', { name: 'org_id', primaryKeyConstraintName: 'login_policies_pkey' })
  orgId!: OrgId;

  @Column('boolean', { name: 'allow_register', default: false })
  allowRegister!: boolean;

  /** New users choose a user name; otherwise their e-mail address is the user name. */
  @Column('boolean', { name: 'require_login_name', default: false })
  requireLoginName!: boolean;

  /** Users may delete their own accounts. */
  @Column('boolean', { name: 'allow_account_deletion', default: false })
  allowAccountDeletion!: boolean;

  /** People may sign in with external providers. */
  @Column('boolean', { name: 'allow_external_idps', default: true })
  allowExternalIdps!: boolean;

  /** Providers of the instance that are allowed; deleted ones are ignored. */
  @Column('text', { name: 'instance_idps', array: true, default: [] })
  instanceIdps!: string[];

  /** One of them, which users with an address of the organization's domains are sent to; a deleted one is ignored. */
  @Column('text', { name: 'home_realm_idp_id', nullable: true })
  homeRealmIdpId!: string | null;

  /** False once it was reset: the row then holds the defaults. */
  @Column('boolean', { name: 'is_set', default: true })
  isSet!: boolean;
}
