from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.decorators import login_required
from django.http import JsonResponse
from django.urls import include, path
from django.views.generic import RedirectView


def home(request):
    return JsonResponse({"signedIn": request.user.is_authenticated})


@login_required
def me(request):
    account = SocialAccount.objects.get(user=request.user)
    return JsonResponse(account.extra_data["userinfo"])


urlpatterns = [
    path("", home),
    path("me", me),
    path("logout", RedirectView.as_view(pattern_name="account_logout")),
    path("accounts/", include("allauth.urls")),
]
