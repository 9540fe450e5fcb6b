from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.urls import include, path
from django.utils.html import format_html


def home(request):
    return JsonResponse({"signedIn": request.user.is_authenticated})


@login_required
def me(request):
    return JsonResponse(request.session["claims"])


def logout(request):
    return HttpResponse(
        format_html(
            '<form method="post" action="/oidc/logout/">'
            '<input type="hidden" name="csrfmiddlewaretoken" value="{}">'
            "<button>Sign out</button></form>",
            get_token(request),
        )
    )


urlpatterns = [
    path("", home),
    path("me", me),
    path("logout", logout),
    path("oidc/", include("mozilla_django_oidc.urls")),
]
