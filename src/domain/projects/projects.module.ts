import { Module } from '@nestjs/common';
import { ChangeProject } from './change-project.js';
import { CreateProject } from './create-project.js';
import { ProjectRoles } from './project-roles.js';
import { ReadProjects } from './read-projects.js';

const useCases = [CreateProject, ChangeProject, ReadProjects, ProjectRoles];

/** Projects and their roles. */
@Module({ providers: useCases, exports: useCases })
export class ProjectsModule {}
